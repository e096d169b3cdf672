namespace BigPile.Perf.Tables;

/// <summary>Numbers the keys of a load.</summary>
internal interface IKeyKind<TKey>
    where TKey : notnull
{
    /// <summary>The bytes of a key as a table stores it.</summary>
    int KeyBytes { get; }

    /// <summary>The key with a number.</summary>
    TKey At(int number);
}
