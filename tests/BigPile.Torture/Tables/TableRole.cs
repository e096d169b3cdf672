namespace BigPile.Torture.Tables;

/// <summary>What is done with a table; the number is the table's in the journal.</summary>
internal enum TableRole
{
    /// <summary>Put by one thread and removed by another, by key, tag and as a whole; the keys are numbers.</summary>
    Numbers,

    /// <summary>The same with text as keys.</summary>
    Names,

    /// <summary>Values are objects of their own, which are replaced, moved out and put again; one thread puts and removes.</summary>
    Owners,

    /// <summary>Entries expire.</summary>
    Expirables,

    /// <summary>A limit lets entries go at any time.</summary>
    Limited,
}
