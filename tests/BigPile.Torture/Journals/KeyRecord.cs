using System.Runtime.InteropServices;

namespace BigPile.Torture.Journals;

/// <summary>A key of a table: one thread puts it, another removes it.</summary>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal struct KeyRecord
{
    internal const int SizeBytes = 768;

    internal KeySide Put;
    internal KeySide Remove;

    /// <summary>The last removal that found the key.</summary>
    internal KeySide Found;

    /// <summary>The last put that was known to be durable when the next one began.</summary>
    internal KeySide Flushed;
}
