module webhook

go 1.24
