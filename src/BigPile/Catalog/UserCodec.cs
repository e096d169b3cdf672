using System;
using System.Collections.Generic;
using System.Text;
using BigPile.Codec.Payloads;

namespace BigPile.Catalog;

/// <summary>A codec of the application's, which gets no primitive values: those have the pile's own form, and a mark behind it.</summary>
/// <remarks>
/// Their payloads are the same in each pile. What such a codec wrote of them before has no mark, and goes to it. Thread safety: all members
/// may be called concurrently.
/// </remarks>
/// <param name="user">The application's codec.</param>
internal sealed unsafe class UserCodec(IPileCodec user) : IPileCodec
{
    /// <summary>The most bytes of a primitive value's payload with its mark.</summary>
    private const int MostBytes = 64;

    /// <summary>The types of primitive values. The place of each is its number in payloads: add at the end only.</summary>
    private static readonly Type[] Types =
    [
        typeof(bool), typeof(sbyte), typeof(byte), typeof(short), typeof(ushort), typeof(int), typeof(uint), typeof(long), typeof(ulong),
        typeof(float), typeof(double), typeof(char), typeof(Half), typeof(Int128), typeof(UInt128), typeof(Guid), typeof(decimal),
        typeof(DateTime), typeof(DateTimeOffset), typeof(TimeSpan), typeof(DateOnly), typeof(TimeOnly), typeof(Rune), typeof(PilePointer),
    ];

    private static readonly HashSet<Type> Known = [.. Types];
    private static readonly Lazy<MessagePackPileCodec> Primitives = new(MakeOfPrimitives);

    // Chosen at random. No UTF-8 and no MessagePack has such bytes at its end.
    private static ReadOnlySpan<byte> Mark => [0xC1, 0x8E, 0x27, 0xF5, 0x93, 0x0B, 0xDA, 0xC1];

    /// <inheritdoc/>
    public string Name => user.Name;

    /// <summary>Whether values of a type are primitive ones.</summary>
    internal static bool IsPrimitive(Type type) => Known.Contains(type);

    /// <inheritdoc/>
    public void Serialize(object value, PileBuffer destination)
    {
        if (!IsPrimitive(value.GetType()))
        {
            user.Serialize(value, destination);
            return;
        }
        Primitives.Value.Serialize(value, destination);
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
        return Primitives.Value.Deserialize(source);
    }

    private static MessagePackPileCodec MakeOfPrimitives()
    {
        var codec = new MessagePackPileCodec(new MemoryCatalog(), new PileCodecOptions());
        var buffer = new PileBuffer();
        foreach (Type type in Types)
        {
            buffer.Clear();
            codec.Serialize(Activator.CreateInstance(type)!, buffer);
        }
        return codec;
    }
}
