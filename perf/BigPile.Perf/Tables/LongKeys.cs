namespace BigPile.Perf.Tables;

/// <summary>The numbers themselves.</summary>
internal readonly struct LongKeys : IKeyKind<long>
{
    public int KeyBytes => sizeof(long);

    public long At(int number) => number;
}
