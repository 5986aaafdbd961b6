mod _x {}
