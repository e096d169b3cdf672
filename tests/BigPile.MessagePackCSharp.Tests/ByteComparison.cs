using System;
using System.Runtime.CompilerServices;
using MessagePack;

namespace BigPile.MessagePackCSharp.Tests;

/// <summary>One value, written and read by the pile's codec and by the library.</summary>
internal sealed record ByteComparison(string Name, Func<string> Compare)
{
    internal const string Same = "same";
    internal const string Refused = "refused";
    internal const string Lacking = "library lacks";

    private const int PrefixBytes = 4;

    /// <summary>Compares a member of a type in the library's format.</summary>
    public static ByteComparison Of<T>(T value, [CallerArgumentExpression(nameof(value))] string text = "") =>
        new(value is { } some && some.GetType() != typeof(T) && Nullable.GetUnderlyingType(typeof(T)) == null
            ? $"{text} as {NameOf(typeof(T))}"
            : text, () => Try(new Keyed<T> { Value = value }));

    /// <summary>Compares one object that two elements refer to.</summary>
    public static ByteComparison OfShared<T>(T value) =>
        new($"the same {typeof(T).Name} twice", () => Try(new Keyed<T[]> { Value = [value, value] }));

    private static string NameOf(Type type) => type.IsGenericType ? type.Name.Split('`')[0] + "<>" : type.Name;

    private static string Try<T>(Keyed<T> value)
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        IPileCodec codec = pile.Encoding.Codec;
        byte[] ours;
        try
        {
            ours = Write(codec, value);
        }
        catch (PileSerializationException e)
        {
            return e.Message.Contains(nameof(PileCodecOptions.MayExtendContracts), StringComparison.Ordinal)
                || e.Message.Contains(nameof(PileCodecOptions.Allow), StringComparison.Ordinal)
                ? Refused : "refused without a remedy: " + e.Message;
        }
        return CompareBoth(codec, value, ours);
    }

    private static string CompareBoth<T>(IPileCodec codec, Keyed<T> value, byte[] ours)
    {
        byte[] prefix = ours[..PrefixBytes];
        if (!TryWriteTheirs(value, out byte[] theirs))
            return Lacking;
        if (!theirs.AsSpan().SequenceEqual(ours.AsSpan(PrefixBytes)))
            return $"other bytes: {Convert.ToHexString(ours.AsSpan(PrefixBytes))} and {Convert.ToHexString(theirs)}";
        // The result is not compared: reading changes a bag's order, even from the library's own bytes.
        _ = MessagePackSerializer.Deserialize<Keyed<T>>(ours.AsMemory(PrefixBytes));
        var ourCopy = (Keyed<T>)Read(codec, [.. prefix, .. theirs]);
        return theirs.AsSpan().SequenceEqual(MessagePackSerializer.Serialize(ourCopy)) ? Same : "other value";
    }

    private static bool TryWriteTheirs<T>(T value, out byte[] theirs)
    {
        try
        {
            theirs = MessagePackSerializer.Serialize(value);
            return true;
        }
        catch (MessagePackSerializationException e) when (e.GetBaseException() is FormatterNotRegisteredException)
        {
            theirs = [];
            return false;
        }
    }

    private static byte[] Write(IPileCodec codec, object value)
    {
        var buffer = new PileBuffer();
        codec.Serialize(value, buffer);
        return buffer.WrittenSpan.ToArray();
    }

    private static object Read(IPileCodec codec, byte[] payload)
    {
        var buffer = new PileBuffer();
        System.Buffers.BuffersExtensions.Write(buffer, payload);
        return codec.Deserialize(buffer);
    }
}
