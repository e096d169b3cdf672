using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace BigPile.Layout;

/// <summary>What a reader needs to know of a page, in one word of process memory: where its slots begin.</summary>
/// <remarks>
/// <code>
/// bit 63..56  size class plus one; 0: no slots, or a run; 255: not recovered since the pile was opened
/// bit 55..48  k, where the slot size in units of 8 bytes is odd * 2^k
/// bit 47..32  number of slots
/// bit 31..0   inverse of the odd part modulo 2^32
/// </code>
/// When a page changes its slot size, an old pointer may lead into the middle of a new payload, whose bytes may look like a header. So each
/// access checks here that the address is the start of a slot. The check is exact division by multiplication with the modular inverse
/// (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", section 9): for a size of odd * 2^k the map
/// n -> rotate(n * inverse(odd), k) is a bijection that takes the multiples of the size, and nothing else, to 0, 1, 2, …
/// All zero is a page without slots: the check fails for each address. It also fails in a page that is not recovered; a reader that fails
/// then checks <see cref="IsUnrecovered"/>.
/// </remarks>
internal readonly struct PageInfo
{
    private const int SlotCountShift = 32;
    private const int RotationShift = 48;
    private const int ClassShift = 56;
    private const int UnrecoveredCode = 0xFF; // in the place of size class plus one
    private const int UnitsPerPage = SizeClasses.PageBytes / SizeClasses.GranuleBytes;

    private readonly ulong _word;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PageInfo(ulong word) => _word = word;

    internal ulong Word => _word;

    /// <summary>The number of slots; a run has one, its later pages none.</summary>
    internal int SlotCount => (int)((_word >> SlotCountShift) & 0xFFFF);

    /// <summary>The page's size class plus one; 0 for a page that holds no slots or a run.</summary>
    internal int ClassPlusOne
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (int)(_word >> ClassShift);
    }

    /// <summary>Whether the page was found in a file, and is not recovered yet.</summary>
    internal bool IsUnrecovered => ClassPlusOne == UnrecoveredCode;

    /// <summary>The info of a page that was found in a file and is not recovered yet.</summary>
    internal static PageInfo Unrecovered => new((ulong)UnrecoveredCode << ClassShift);

    internal static PageInfo OfSlots(int slotBytes)
    {
        Debug.Assert(
            slotBytes is >= SizeClasses.MinSlotBytes and <= SizeClasses.MaxSlotBytes && slotBytes % SizeClasses.GranuleBytes == 0,
            "No slot is of that size.");
        uint units = (uint)(slotBytes / SizeClasses.GranuleBytes);
        int rotation = BitOperations.TrailingZeroCount(units);
        uint inverse = InverseOf(units >> rotation);
        return Compose(inverse, SizeClasses.PageBytes / slotBytes, rotation, SizeClasses.ClassOf(slotBytes) + 1);
    }

    /// <summary>The info of the first page of a run: one slot, at its start.</summary>
    internal static PageInfo OfRun() => Compose(1, 1, BitOperations.Log2(UnitsPerPage), 0);

    /// <summary>The slot that begins at an address; at least <see cref="SlotCount"/> when none does.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal uint SlotAt(ulong address)
    {
        uint unit = (uint)address & (UnitsPerPage - 1);
        return BitOperations.RotateRight(unit * (uint)_word, (int)(_word >> RotationShift) & 0x1F);
    }

    /// <summary>Whether a slot begins at an address.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool HasSlotAt(ulong address) => SlotAt(address) < (uint)SlotCount;

    private static PageInfo Compose(uint inverse, int slotCount, int rotation, int classPlusOne) =>
        new(inverse | ((ulong)slotCount << SlotCountShift) | ((ulong)rotation << RotationShift) | ((ulong)classPlusOne << ClassShift));

    // Newton's iteration doubles the correct bits each time, starting from the three for which every odd number is its own inverse.
    private static uint InverseOf(uint odd)
    {
        uint inverse = odd;
        for (int i = 0; i < 4; i++)
            inverse *= 2 - odd * inverse;
        Debug.Assert(inverse * odd == 1, "An even number has no inverse, and addresses in slots would pass for slots.");
        return inverse;
    }
}
