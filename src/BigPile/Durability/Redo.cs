using System;

namespace BigPile.Durability;

/// <summary>A redo log for payloads that are overwritten in place, so that a kill leaves the old or the new payload.</summary>
internal abstract class Redo : IDisposable
{
    /// <summary>The most bytes of a payload that may be overwritten in place; a larger one goes to a new block.</summary>
    internal abstract long MaxPayloadBytes { get; }

    /// <summary>Whether records must outlive the process.</summary>
    internal abstract bool OutlivesProcess { get; }

    /// <summary>Takes a record and fills it. The caller then overwrites the block, and calls <see cref="End"/>.</summary>
    /// <param name="hint">A number that differs between threads, to spread them over the records.</param>
    /// <param name="address">The block.</param>
    /// <param name="headerWord">The header it will have.</param>
    /// <param name="offsetBytes">Where the bytes go, from the start of the payload.</param>
    /// <param name="first">The bytes, first part.</param>
    /// <param name="second">The bytes, second part.</param>
    /// <returns>The record's index.</returns>
    internal abstract int Begin(
        int hint, ulong address, ulong headerWord, int offsetBytes, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second);

    /// <summary>Frees a record: the block is completely written.</summary>
    internal abstract void End(int index);

    /// <inheritdoc/>
    public abstract void Dispose();
}

/// <summary>For a pile in memory: no record is needed, as the pile ends with its process.</summary>
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
