using System;
using System.IO.Pipelines;
using BigPile.AspNetCore.Entries;
using BigPile.Caching;

namespace BigPile.AspNetCore.Door;

/// <summary>Copies a value to where it will be sent from, behind room for a head.</summary>
/// <param name="output">Where answers go.</param>
/// <param name="offset">Where the value goes in the output's free room.</param>
/// <param name="roomLeft">The free room that there is without a new block of memory.</param>
/// <param name="refillBytes">The room to ask for when that is too little.</param>
internal struct FastValueVisitor(PipeWriter output, int offset, int roomLeft, int refillBytes) : IValueVisitor
{
    /// <summary>The value's length, or -1 when it is too long for the door.</summary>
    internal int LengthBytes { get; private set; }

    /// <summary>What the output is asked for; the same again gives the same room.</summary>
    internal int RoomBytes { get; private set; }

    /// <inheritdoc/>
    public void Visit(ReadOnlySpan<byte> value)
    {
        LengthBytes = value.Length <= EntryReader.MaxSmallValueBytes ? value.Length : -1;
        if (LengthBytes < 0)
            return;
        int neededBytes = AnswerHead.MaxBytes + LengthBytes;
        RoomBytes = neededBytes <= roomLeft ? neededBytes : Math.Max(neededBytes, refillBytes);
        value.CopyTo(output.GetSpan(RoomBytes)[offset..]);
    }
}
