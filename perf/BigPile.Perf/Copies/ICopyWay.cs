namespace BigPile.Perf.Copies;

/// <summary>A way to copy; a type for each, so that no call stands between the loop and the copying.</summary>
internal interface ICopyWay
{
    /// <summary>How the way is called.</summary>
    static abstract string Name { get; }

    /// <summary>Whether it copies out of shared memory, and not into it.</summary>
    static abstract bool IsBack { get; }

    /// <summary>Copies bytes between the array and the mapping, at the same offset of both.</summary>
    static abstract void Copy(CopyBuffers buffers, int at, int lengthBytes);
}
