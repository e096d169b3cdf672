using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Layout;

/// <summary>The slot sizes of pages.</summary>
/// <remarks>
/// 8 bytes apart up to 128, then 16 classes per doubling up to 8 KiB: the slack of a block is at most an eighth of it, and on average a
/// thirty-second. Above, the sizes that divide a page best, as only the number of slots per page matters there.
/// A block that is larger than the largest class gets a run of whole pages.
/// </remarks>
internal static class SizeClasses
{
    internal const int PageBytes = 64 * 1024;
    internal const int MinSlotBytes = 16;
    internal const int MaxSlotBytes = 32 * 1024;
    internal const int GranuleBytes = 8;

    private const int LinearLimitBytes = 128;
    private const int GeometricLimitBytes = 8 * 1024;
    private const int ClassesPerDoubling = 16;
    private const int FewestLargeSlots = 2;
    private const int MostLargeSlots = 7;

    private static readonly int[] SlotBytesOfClass = BuildSlotSizes();
    private static readonly byte[] ClassOfGranules = BuildClassOfGranules();
    private static readonly PageInfo[] PageInfoOfClass = Array.ConvertAll(SlotBytesOfClass, PageInfo.OfSlots);

    /// <summary>The number of classes; fewer than 200.</summary>
    internal static int Count => SlotBytesOfClass.Length;

    /// <summary>
    /// The smallest class whose slots hold a block of that many bytes, header included; at most <see cref="MaxSlotBytes"/>.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int ClassOf(int blockBytes) => ClassOfGranules[(blockBytes + GranuleBytes - 1) / GranuleBytes];

    /// <summary>The slot size of a class in bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int SlotBytes(int sizeClass) => SlotBytesOfClass[sizeClass];

    internal static PageInfo InfoOf(int sizeClass) => PageInfoOfClass[sizeClass];

    private static int[] BuildSlotSizes()
    {
        var sizes = new List<int>();
        for (int size = MinSlotBytes; size <= LinearLimitBytes; size += GranuleBytes)
            sizes.Add(size);
        for (int floor = LinearLimitBytes; floor < GeometricLimitBytes; floor *= 2)
        {
            for (int step = 1; step <= ClassesPerDoubling; step++)
                sizes.Add(floor + floor / ClassesPerDoubling * step);
        }
        for (int slots = MostLargeSlots; slots >= FewestLargeSlots; slots--)
            sizes.Add(PageBytes / slots / GranuleBytes * GranuleBytes);
        Debug.Assert(
            sizes.Count < 200 && sizes[^1] == MaxSlotBytes, "A page word has no code for so many, or a block of the most bytes no slot.");
        return [.. sizes];
    }

    private static byte[] BuildClassOfGranules()
    {
        var classes = new byte[MaxSlotBytes / GranuleBytes + 1];
        int sizeClass = 0;
        for (int granules = 0; granules < classes.Length; granules++)
        {
            if (granules * GranuleBytes > SlotBytesOfClass[sizeClass])
                sizeClass++;
            classes[granules] = (byte)sizeClass;
        }
        return classes;
    }
}
