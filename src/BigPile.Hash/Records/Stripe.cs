using System.Runtime.InteropServices;

namespace BigPile.Hash.Records;

/// <summary>What belongs to the keys of one stripe; two cache lines, so that stripes do not meet.</summary>
[StructLayout(LayoutKind.Sequential, Size = 128)]
internal struct Stripe
{
    /// <summary>Bit 0: a writer has it. Bit 1: it is being changed. From bit 2 on: how often it was.</summary>
    internal long Word;

    /// <summary>The highest sequence that was given here.</summary>
    internal long Sequence;

    /// <summary>The records.</summary>
    internal long Records;

    /// <summary>Of a rebuild: keys with hashes below this were copied; what is done to them is done to the copy, too.</summary>
    internal ulong CopiedTo;
}
