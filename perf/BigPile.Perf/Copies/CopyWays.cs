using System;
using System.IO;
using System.Runtime.InteropServices;

namespace BigPile.Perf.Copies;

/// <summary>C's memcpy.</summary>
internal readonly unsafe struct LimitWay : ICopyWay
{
    public static string Name => "The memory's limit: C's memcpy";

    public static bool IsBack => false;

    public static void Copy(CopyBuffers buffers, int at, int lengthBytes) =>
        CMemory.Copy(buffers.Destination + at, buffers.Source + at, (nuint)lengthBytes);
}

/// <summary>The view's pointer, acquired once.</summary>
internal readonly unsafe struct PointerWay : ICopyWay
{
    public static string Name => "Pointer, Buffer.MemoryCopy";

    public static bool IsBack => false;

    public static void Copy(CopyBuffers buffers, int at, int lengthBytes) =>
        Buffer.MemoryCopy(buffers.Source + at, buffers.Destination + at, lengthBytes, lengthBytes);
}

/// <summary>Spans over the same pointers.</summary>
internal readonly unsafe struct SpanWay : ICopyWay
{
    public static string Name => "Span.CopyTo";

    public static bool IsBack => false;

    public static void Copy(CopyBuffers buffers, int at, int lengthBytes) =>
        new ReadOnlySpan<byte>(buffers.Source + at, lengthBytes).CopyTo(new Span<byte>(buffers.Destination + at, lengthBytes));
}

/// <summary>The map's stream.</summary>
internal readonly struct ViewStreamWay : ICopyWay
{
    public static string Name => "View stream";

    public static bool IsBack => false;

    public static void Copy(CopyBuffers buffers, int at, int lengthBytes)
    {
        buffers.ViewStream.Position = at;
        buffers.ViewStream.Write(buffers.Array, buffers.ArrayStart + at, lengthBytes);
    }
}

/// <summary>The view's accessor, which goes element by element.</summary>
internal readonly struct AccessorWay : ICopyWay
{
    public static string Name => "Accessor, WriteArray";

    public static bool IsBack => false;

    public static void Copy(CopyBuffers buffers, int at, int lengthBytes)
    {
#pragma warning disable RS0030 // banned because it is slow: how slow is measured here
        buffers.Accessor.WriteArray(at, buffers.Array, buffers.ArrayStart + at, lengthBytes);
#pragma warning restore RS0030
    }
}

/// <summary>One byte after the other.</summary>
internal readonly unsafe struct ByteLoopWay : ICopyWay
{
    public static string Name => "Byte loop";

    public static bool IsBack => false;

    public static void Copy(CopyBuffers buffers, int at, int lengthBytes)
    {
        byte* from = buffers.Source + at;
        byte* to = buffers.Destination + at;
        for (int i = 0; i < lengthBytes; i++)
            to[i] = from[i];
    }
}

/// <summary><see cref="Marshal"/>, from the array.</summary>
internal readonly unsafe struct MarshalWay : ICopyWay
{
    public static string Name => "Marshal.Copy";

    public static bool IsBack => false;

    public static void Copy(CopyBuffers buffers, int at, int lengthBytes) =>
        Marshal.Copy(buffers.Array, buffers.ArrayStart + at, (nint)(buffers.Destination + at), lengthBytes);
}

/// <summary><see cref="Marshal"/>, to the array.</summary>
internal readonly unsafe struct MarshalBackWay : ICopyWay
{
    public static string Name => "Marshal.Copy, back";

    public static bool IsBack => true;

    public static void Copy(CopyBuffers buffers, int at, int lengthBytes) =>
        Marshal.Copy((nint)(buffers.Destination + at), buffers.Array, buffers.ArrayStart + at, lengthBytes);
}

/// <summary>A stream over the pointer, written.</summary>
internal readonly struct UnmanagedStreamWay : ICopyWay
{
    public static string Name => "Unmanaged stream";

    public static bool IsBack => false;

    public static void Copy(CopyBuffers buffers, int at, int lengthBytes)
    {
        buffers.UnmanagedStream.Position = at;
        buffers.UnmanagedStream.Write(buffers.Array, buffers.ArrayStart + at, lengthBytes);
    }
}

/// <summary>A stream over the pointer, read.</summary>
internal readonly struct UnmanagedStreamBackWay : ICopyWay
{
    public static string Name => "Unmanaged stream, back";

    public static bool IsBack => true;

    public static void Copy(CopyBuffers buffers, int at, int lengthBytes)
    {
        buffers.UnmanagedStream.Position = at;
        buffers.UnmanagedStream.ReadExactly(buffers.Array, buffers.ArrayStart + at, lengthBytes);
    }
}

/// <summary>One stream copied to another through .NET's own buffer.</summary>
internal readonly unsafe struct StreamCopyWay : ICopyWay
{
    public static string Name => "Stream.CopyTo, back";

    public static bool IsBack => true;

    public static void Copy(CopyBuffers buffers, int at, int lengthBytes)
    {
        using var from = new UnmanagedMemoryStream(buffers.Destination + at, lengthBytes, lengthBytes, FileAccess.Read);
        buffers.ArrayStream.Position = buffers.ArrayStart + at;
        from.CopyTo(buffers.ArrayStream);
    }
}

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

/// <summary>C's memcpy: the upper bound for a program that moves bytes with the processor.</summary>
internal static unsafe partial class CMemory
{
    // Without the GC transition, which would be a tenth of a small copy.
    [LibraryImport("libc", EntryPoint = "memcpy")]
    [SuppressGCTransition]
    internal static partial void* Copy(void* destination, void* source, nuint lengthBytes);
}
