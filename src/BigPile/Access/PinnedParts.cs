using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics;

namespace BigPile.Access;

/// <summary>The parts of a sequence, held in their places so that they can be copied without a call to whoever owns their memory.</summary>
internal sealed unsafe class PinnedParts : IDisposable
{
    private readonly List<(MemoryHandle Handle, int LengthBytes)> _parts = [];

    /// <summary>Pins the parts; what was pinned is let go when a later one can't be.</summary>
    internal PinnedParts(in ReadOnlySequence<byte> sequence)
    {
        try
        {
            foreach (ReadOnlyMemory<byte> part in sequence)
            {
                if (part.IsEmpty)
                    continue;
                _parts.Add((part.Pin(), part.Length));
                LengthBytes += part.Length;
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The bytes of all parts.</summary>
    internal long LengthBytes { get; }

    /// <summary>Joins the parts. Runs nobody's code.</summary>
    internal void CopyTo(Span<byte> destination)
    {
        Debug.Assert(destination.Length == LengthBytes, "The parts fill their place to its end.");
        foreach ((MemoryHandle handle, int lengthBytes) in _parts)
        {
            new ReadOnlySpan<byte>(handle.Pointer, lengthBytes).CopyTo(destination);
            destination = destination[lengthBytes..];
        }
    }

    public void Dispose()
    {
        foreach ((MemoryHandle handle, _) in _parts)
            handle.Dispose();
        _parts.Clear();
    }
}
