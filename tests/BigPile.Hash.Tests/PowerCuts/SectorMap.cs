using System;
using BigPile.Hash.Tests.PowerCuts;

namespace BigPile.Testing;

/// <summary>What lies in the sectors of a database's file, for cuts that let one sort of them reach the disk and not another.</summary>
/// <param name="now">The file as the process sees it.</param>
/// <param name="device">The file as the disk has it.</param>
internal readonly ref struct SectorMap(ReadOnlySpan<byte> now, ReadOnlySpan<byte> device)
{
    /// <summary>The file without whose name nothing was promised.</summary>
    internal const string Anchor = HashSubject.FileName;

    private const int HeadBytes = 4_096;

    private readonly ReadOnlySpan<byte> _now = now;
    private readonly ReadOnlySpan<byte> _device = device;

    /// <summary>Whether a file is stored to through a map: what is made dirty again without a change is not seen.</summary>
    internal static bool IsMapped(string name) => name.StartsWith(Anchor, StringComparison.Ordinal);

    /// <summary>Whether a sector is the head's or the buckets'.</summary>
    internal bool HasPageWords(int offset) => offset < HeadBytes + HashSubject.BucketBytes;

    /// <summary>Whether a sector is the head's; or, of what lies behind the buckets, one that was written over.</summary>
    internal bool HasHeader(int offset, bool onlyFreed) => onlyFreed
        ? !HasPageWords(offset) && offset + SimulatedFile.SectorBytes <= Math.Min(_device.Length, _now.Length)
            && _device.Slice(offset, SimulatedFile.SectorBytes).ContainsAnyExcept((byte)0)
        : offset < HeadBytes;
}
