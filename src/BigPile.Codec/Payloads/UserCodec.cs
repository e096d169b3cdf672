using System;
using BigPile.Codec.Slots;

namespace BigPile.Codec.Payloads;

/// <summary>A codec of the application's, which gets no primitive values: those have the pile's own form, and a mark behind it.</summary>
/// <remarks>
/// What such a codec wrote of them before has no mark, and goes to it. Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="user">The application's codec.</param>
/// <param name="own">The pile's own, for primitive values.</param>
internal sealed unsafe class UserCodec(IPileCodec user, MessagePackPileCodec own) : IPileCodec
{
    /// <summary>The most bytes of a primitive value's payload: prefix, head and number.</summary>
    private const int MostBytes = 64;

    // Chosen at random. No UTF-8 and no MessagePack has such bytes at its end.
    private static ReadOnlySpan<byte> Mark => [0xC1, 0x8E, 0x27, 0xF5, 0x93, 0x0B, 0xDA, 0xC1];

    /// <inheritdoc/>
    public string Name => user.Name;

    /// <inheritdoc/>
    public void Serialize(object value, PileBuffer destination)
    {
        if (!LeafSlots.IsPrimitive(value.GetType()))
        {
            user.Serialize(value, destination);
            return;
        }
        own.Serialize(value, destination);
        Mark.CopyTo(destination.GetSpan(Mark.Length));
        destination.Advance(Mark.Length);
    }

    /// <inheritdoc/>
    public object Deserialize(PileBuffer source)
    {
        ReadOnlySpan<byte> payload = source.WrittenSpan;
        if (payload.Length > MostBytes || !payload.EndsWith(Mark))
            return user.Deserialize(source);
        source.SetEnd(source.Start + payload.Length - Mark.Length);
        return own.Deserialize(source);
    }
}
