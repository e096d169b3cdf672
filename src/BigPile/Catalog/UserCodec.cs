using System;
using System.Buffers;
using System.Collections.Generic;
using System.Text;
using BigPile.Codec.Payloads;

namespace BigPile.Catalog;

/// <summary>Wraps the application's codec: primitive values are encoded by the pile's own codec instead, and marked as such.</summary>
/// <remarks>
/// Payloads of primitive values are the same in each pile. Those that the application's codec wrote earlier have no mark, and are read by
/// it. Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="user">The application's codec.</param>
internal sealed unsafe class UserCodec(IPileCodec user) : IPileCodec
{
    /// <summary>The most bytes of a primitive value's payload, mark included.</summary>
    private const int MostBytes = 64;

    /// <summary>The types of primitive values. Payloads have their index: append only.</summary>
    private static readonly Type[] Types =
    [
        typeof(bool), typeof(sbyte), typeof(byte), typeof(short), typeof(ushort), typeof(int), typeof(uint), typeof(long), typeof(ulong),
        typeof(float), typeof(double), typeof(char), typeof(Half), typeof(Int128), typeof(UInt128), typeof(Guid), typeof(decimal),
        typeof(DateTime), typeof(DateTimeOffset), typeof(TimeSpan), typeof(DateOnly), typeof(TimeOnly), typeof(Rune), typeof(PilePointer),
    ];

    private static readonly HashSet<Type> Known = [.. Types];
    private static readonly Lazy<MessagePackPileCodec> Primitives = new(MakeOfPrimitives);

    // Both are random. A payload of the application's codec that happens to end like one of them gets NoMark appended.
    private static ReadOnlySpan<byte> Mark => [0xC1, 0x8E, 0x27, 0xF5, 0x93, 0x0B, 0xDA, 0xC1];

    private static ReadOnlySpan<byte> NoMark => [0xC1, 0x4B, 0xE2, 0x91, 0x3D, 0x7A, 0xF6, 0xC1];

    /// <inheritdoc/>
    public string Name => user.Name;

    internal static bool IsPrimitive(Type type) => Known.Contains(type);

    /// <inheritdoc/>
    public void Serialize(object value, PileBuffer destination)
    {
        if (!IsPrimitive(value.GetType()))
        {
            user.Serialize(value, destination);
            if (HasMark(destination.WrittenSpan) || destination.WrittenSpan.EndsWith(NoMark))
                destination.Write(NoMark);
            return;
        }
        Primitives.Value.Serialize(value, destination);
        destination.Write(Mark);
    }

    /// <inheritdoc/>
    public object Deserialize(PileBuffer source)
    {
        ReadOnlySpan<byte> payload = source.WrittenSpan;
        bool isPrimitive = HasMark(payload);
        if (isPrimitive || payload.EndsWith(NoMark))
            source.SetEnd(source.Start + payload.Length - Mark.Length);
        return isPrimitive ? Primitives.Value.Deserialize(source) : user.Deserialize(source);
    }

    private static bool HasMark(ReadOnlySpan<byte> payload) => payload.Length <= MostBytes && payload.EndsWith(Mark);

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
