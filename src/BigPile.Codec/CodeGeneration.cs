namespace BigPile;

/// <summary>When the fields of a type get methods generated for them.</summary>
internal enum CodeGeneration
{
    /// <summary>The interpreter does it all.</summary>
    Never,

    /// <summary>After some uses, made beside them.</summary>
    WhenHot,

    /// <summary>Before the first use, which waits.</summary>
    AtOnce,
}
