using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics;

namespace BigPile.Access;

/// <summary>The pinned segments of a sequence: they can be copied without calling the owner of their memory.</summary>
internal sealed unsafe class PinnedParts : IDisposable
{
    private readonly List<(MemoryHandle Handle, int LengthBytes)> _parts = [];

    /// <summary>Pins all parts; unpins them again if one can't be pinned.</summary>
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

    internal long LengthBytes { get; }

    /// <summary>Joins the parts. Runs no code of their owner.</summary>
    internal void CopyTo(Span<byte> destination)
    {
        Debug.Assert(destination.Length == LengthBytes, "The parts fill the destination exactly.");
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
