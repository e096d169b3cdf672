using System;

namespace BigPile.Durability;

/// <summary>Where a payload goes before it is written over another one, so that a kill leaves the old one or the new one.</summary>
internal abstract class Redo : IDisposable
{
    /// <summary>The most bytes of a payload that is written over another one. A larger one goes elsewhere.</summary>
    internal abstract long MaxPayloadBytes { get; }

    /// <summary>Whether anything has to be kept for a process that comes later.</summary>
    internal abstract bool OutlivesProcess { get; }

    /// <summary>Takes a record and fills it. The caller then writes the block, and ends with <see cref="End"/>.</summary>
    /// <param name="hint">A number that differs between threads, so that they take different records.</param>
    /// <param name="address">The block.</param>
    /// <param name="headerWord">Its header to be.</param>
    /// <param name="offsetBytes">Where the bytes go.</param>
    /// <param name="first">The bytes, first part.</param>
    /// <param name="second">The bytes, second part.</param>
    /// <returns>The record's index.</returns>
    internal abstract int Begin(
        int hint, ulong address, ulong headerWord, int offsetBytes, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second);

    /// <summary>Gives a record back: the block is whole.</summary>
    internal abstract void End(int index);

    /// <inheritdoc/>
    public abstract void Dispose();
}

/// <summary>Of a pile in memory, which ends with its process.</summary>
internal sealed class NoRedo : Redo
{
    internal override long MaxPayloadBytes => long.MaxValue;

    internal override bool OutlivesProcess => false;

    internal override int Begin(
        int hint, ulong address, ulong headerWord, int offsetBytes, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second) => 0;

    internal override void End(int index)
    {
    }

    public override void Dispose()
    {
    }
}
