using BigPile;

namespace Published.Loose;

public sealed record Voucher(string Code, PilePointer Order);
