module conversion

go 1.24
