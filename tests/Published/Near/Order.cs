using BigPile;

namespace Published.Near;

public sealed record Order(int Number, string Customer, PilePointer Next);
