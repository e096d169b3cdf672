namespace BigPile.Perf.Copies;

/// <summary>A way to copy. A type for each, so that the loop calls it directly.</summary>
internal interface ICopyWay
{
    /// <summary>The way's name.</summary>
    static abstract string Name { get; }

    /// <summary>Whether it copies out of shared memory, and not into it.</summary>
    static abstract bool IsBack { get; }

    /// <summary>Copies bytes between the array and the mapping, at the same offset of both.</summary>
    static abstract void Copy(CopyBuffers buffers, int at, int lengthBytes);
}
