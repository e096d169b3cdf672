namespace BigPile.Perf;

/// <summary>The keys of a table under load.</summary>
internal enum KeyShape
{
    /// <summary>Numbers of 8 bytes.</summary>
    Long,

    /// <summary>Text of 16 characters.</summary>
    String,
}
