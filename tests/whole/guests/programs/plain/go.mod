module plain

go 1.24
