module order

go 1.24
