namespace BigPile;

/// <summary>When the codec generates IL for the fields of a type.</summary>
internal enum CodeGeneration
{
    /// <summary>Never: the interpreter reads and writes all fields.</summary>
    Never,

    /// <summary>After some uses, on the thread pool. The interpreter works until the code is ready.</summary>
    WhenHot,

    /// <summary>Before the first use, which waits for it.</summary>
    AtOnce,
}
