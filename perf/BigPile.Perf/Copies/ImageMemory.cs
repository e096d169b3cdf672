using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace BigPile.Perf.Copies;

/// <summary>Allocates memory for an image, writes it for the first time, and frees it, in each way of .NET.</summary>
internal static unsafe class ImageMemory
{
    private const int PageBytes = 4096;

    internal static IReadOnlyList<(string Name, Func<Times> Measure)> Kinds { get; } =
    [
        ("Managed array", MeasureArray),
        ("Marshal.AllocHGlobal", () => MeasureNative(
            static () => Marshal.AllocHGlobal(CopyOptions.ImageBytes), static memory => Marshal.FreeHGlobal(memory))),
        ("Marshal.AllocCoTaskMem", () => MeasureNative(
            static () => Marshal.AllocCoTaskMem(CopyOptions.ImageBytes), static memory => Marshal.FreeCoTaskMem(memory))),
        ("NativeMemory.Alloc", () => MeasureNative(
            static () => (nint)NativeMemory.Alloc(CopyOptions.ImageBytes), static memory => NativeMemory.Free((void*)memory))),
    ];

    private static Times MeasureNative(Func<nint> allocate, Action<nint> free)
    {
        long start = Stopwatch.GetTimestamp();
        nint memory = allocate();
        long allocated = Stopwatch.GetTimestamp();
        WritePages(new Span<byte>((void*)memory, CopyOptions.ImageBytes));
        long written = Stopwatch.GetTimestamp();
        free(memory);
        return Times.Of(start, allocated, written);
    }

    // An unreachable array is freed by the next full collection and not before.
    private static Times MeasureArray()
    {
        long start = Stopwatch.GetTimestamp();
        (long allocated, long written) = MakeArray();
        long made = Stopwatch.GetTimestamp();
        GC.Collect();
        return Times.Of(start, allocated, written) with { FreeUs = Stopwatch.GetElapsedTime(made).TotalMicroseconds };
    }

    private static (long Allocated, long Written) MakeArray()
    {
        var array = new byte[CopyOptions.ImageBytes];
        long allocated = Stopwatch.GetTimestamp();
        WritePages(array);
        return (allocated, Stopwatch.GetTimestamp());
    }

    private static void WritePages(Span<byte> memory)
    {
        for (int i = 0; i < memory.Length; i += PageBytes)
            memory[i] = 1;
    }

    /// <summary>The duration in microseconds.</summary>
    internal readonly record struct Times(double AllocateUs, double FirstWriteUs, double FreeUs)
    {
        internal static Times Of(long start, long allocated, long written) => new(
            Stopwatch.GetElapsedTime(start, allocated).TotalMicroseconds, Stopwatch.GetElapsedTime(allocated, written).TotalMicroseconds,
            Stopwatch.GetElapsedTime(written).TotalMicroseconds);
    }
}
