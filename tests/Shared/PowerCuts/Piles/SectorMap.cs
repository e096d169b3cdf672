using System;
using System.Buffers.Binary;
using BigPile.Layout;

namespace BigPile.Testing;

/// <summary>What lies in the sectors of a segment's file. A project that cuts something else has its own class of this name.</summary>
/// <param name="now">The file as the process sees it.</param>
/// <param name="device">The file as the disk has it.</param>
internal readonly ref struct SectorMap(ReadOnlySpan<byte> now, ReadOnlySpan<byte> device)
{
    /// <summary>The file without whose name nothing was promised.</summary>
    internal const string Anchor = "superblock";

    private const int FirstWord = 64;

    private readonly ReadOnlySpan<byte> _now = now;
    private readonly ReadOnlySpan<byte> _device = device;

    /// <summary>Whether a file is stored to through a map: what is made dirty again without a change is not seen.</summary>
    internal static bool IsMapped(string name) =>
        name.StartsWith("segment-", StringComparison.Ordinal) && !name.EndsWith(".new", StringComparison.Ordinal);

    /// <summary>Whether words of pages lie in a sector.</summary>
    internal bool HasPageWords(int offset) => offset < FirstWord + _now.Length / SizeClasses.PageBytes * sizeof(ulong);

    /// <summary>Whether a block begins in a sector; only such blocks may be asked for as are free now and were not.</summary>
    internal bool HasHeader(int offset, bool onlyFreed)
    {
        int page = offset / SizeClasses.PageBytes;
        var word = new PageWord(BinaryPrimitives.ReadUInt64LittleEndian(_now[(FirstWord + page * sizeof(ulong))..]));
        int slotBytes = word.IsRunHead ? SizeClasses.PageBytes : word.HasSlots ? SizeClasses.SlotBytes(word.SizeClass) : 0;
        if (slotBytes == 0 || HasPageWords(offset))
            return false;
        int inPage = offset % SizeClasses.PageBytes;
        for (int slot = (inPage + slotBytes - 1) / slotBytes * slotBytes; slot < inPage + SimulatedFile.SectorBytes; slot += slotBytes)
        {
            if (slot + slotBytes <= SizeClasses.PageBytes && (!onlyFreed || WasFreed(page * SizeClasses.PageBytes + slot)))
                return true;
        }
        return false;
    }

    private bool WasFreed(int offset) =>
        offset + sizeof(ulong) <= _device.Length && HeaderAt(_now, offset).IsFree && !HeaderAt(_device, offset).IsFree;

    private static BlockHeader HeaderAt(ReadOnlySpan<byte> bytes, int offset) =>
        new(BinaryPrimitives.ReadUInt64LittleEndian(bytes[offset..]));
}
