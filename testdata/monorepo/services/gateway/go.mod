module parcel/gateway

go 1.24
