namespace BigPile.Tests;

public sealed class ManagedPileTests : PileContract
{
    protected override Pile Create(PileOptions options) => new(options with { Store = StoreKind.Managed });
}

public sealed class NativePileTests : PileContract
{
    protected override Pile Create(PileOptions options) => new(options with { Store = StoreKind.Native });
}

public sealed class MappedPileTests : PileContract
{
    private readonly TemporaryDirectory _directory = new();
    private int _count;

    protected override Pile Create(PileOptions options) =>
        Pile.Open(System.IO.Path.Combine(_directory.Path, "pile" + _count++), options);

    public override void Dispose()
    {
        base.Dispose();
        _directory.Dispose();
    }
}
