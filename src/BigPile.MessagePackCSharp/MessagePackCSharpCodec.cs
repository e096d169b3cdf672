using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using MessagePack;
using MessagePack.Formatters;

namespace BigPile.MessagePackCSharp;

/// <summary>Serializes with MessagePack-CSharp, for types that are written for it.</summary>
/// <remarks>
/// A payload is the number of the root's type in the list given to the constructor (2 bytes, little-endian) and what
/// <see cref="MessagePackSerializer"/> writes. The list is the registry: no type name is stored, and no other type is ever made. Keep its
/// order for as long as a mapped pile lives; add at the end. What the library does not keep is not kept: shared references become copies,
/// and cycles overflow; objects refer to each other by <see cref="PilePointer"/>, which any of them may hold. Thread safety: all members
/// may be called concurrently.
/// </remarks>
public sealed class MessagePackCSharpCodec : IPileCodec
{
    private const int NumberBytes = sizeof(ushort);
    private const string NeedsCode = "MessagePack-CSharp makes code for the types that are put.";
    private const string NeedsMembers = "MessagePack-CSharp finds the members of the types that are put by reflection.";

    // What is in a file may be damaged, and somebody may have written it.
    private static readonly MessagePackSerializerOptions Safe =
        MessagePackSerializerOptions.Standard.WithSecurity(MessagePackSecurity.UntrustedData);

    private readonly MessagePackSerializerOptions _options;
    private readonly Type[] _types;
    private readonly Dictionary<Type, ushort> _numbers = [];

    /// <summary>Makes a codec with the library's standard resolver and its security for data that nobody vouches for.</summary>
    /// <param name="types">The types that may be put, at most 65,535, in an order that never changes.</param>
    /// <exception cref="ArgumentException">There are too many types, or one is listed twice.</exception>
    [RequiresDynamicCode(NeedsCode)]
    [RequiresUnreferencedCode(NeedsMembers)]
    public MessagePackCSharpCodec(params Type[] types)
        : this(Safe, types)
    {
    }

    /// <summary>Makes a codec with options of its own.</summary>
    /// <param name="options">
    /// Resolver, security and compression. With <see cref="MessagePackSecurity.TrustedData"/>, whoever can write the pile's files can have
    /// a read take long, or end the process.
    /// </param>
    /// <param name="types">The types that may be put, at most 65,535, in an order that never changes.</param>
    /// <exception cref="ArgumentException">
    /// There are too many types, one is listed twice, or the options' resolver makes objects of whatever type the bytes name.
    /// </exception>
    [RequiresDynamicCode(NeedsCode)]
    [RequiresUnreferencedCode(NeedsMembers)]
    public MessagePackCSharpCodec(MessagePackSerializerOptions options, params Type[] types)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(types);
        if (types.Length > ushort.MaxValue)
            throw new ArgumentException($"{types.Length:N0} types are listed; {ushort.MaxValue:N0} are allowed.", nameof(types));
        if (options.Resolver.GetFormatter<object>() is TypelessFormatter)
        {
            throw new ArgumentException(
                "The resolver is a typeless one: the bytes would name the types to make, and may be anybody's. Take one that goes by the "
                + "declared types, such as StandardResolver or ContractlessStandardResolver.", nameof(options));
        }
        _options = options.WithResolver(new PointerResolver(options.Resolver));
        _types = [.. types];
        foreach (Type type in _types)
        {
            if (!_numbers.TryAdd(type, (ushort)_numbers.Count))
                throw new ArgumentException($"The type {type} is listed twice.", nameof(types));
        }
    }

    /// <inheritdoc/>
    public string Name => "MessagePack-CSharp";

    /// <inheritdoc/>
    public void Serialize(object value, PileBuffer destination)
    {
        ArgumentNullException.ThrowIfNull(value);
        ArgumentNullException.ThrowIfNull(destination);
        Type type = value.GetType();
        if (!_numbers.TryGetValue(type, out ushort number))
            throw new PileSerializationException($"The type {type} is not in the codec's list. Add it at the end.");
        BinaryPrimitives.WriteUInt16LittleEndian(destination.GetSpan(NumberBytes), number);
        destination.Advance(NumberBytes);
        try
        {
            MessagePackSerializer.Serialize(type, destination, value, _options);
        }
        catch (MessagePackSerializationException e)
        {
            throw new PileSerializationException($"An object of type {type} could not be written: {Reason(e)}", e);
        }
    }

    /// <inheritdoc/>
    public object Deserialize(PileBuffer source)
    {
        ArgumentNullException.ThrowIfNull(source);
        ReadOnlyMemory<byte> payload = source.WrittenMemory;
        int number = payload.Length < NumberBytes ? -1 : BinaryPrimitives.ReadUInt16LittleEndian(payload.Span);
        if (number < 0 || number >= _types.Length)
            throw new PileSerializationException($"The payload's type number {number} is not in the codec's list of {_types.Length} "
                + "types. Give the codec all the types that were ever put, in their order.");
        Type type = _types[number];
        try
        {
            var reader = new MessagePackReader(payload[NumberBytes..]);
            object? value = MessagePackSerializer.Deserialize(type, ref reader, _options);
            if (!reader.End)
                throw new PileSerializationException($"A payload of type {type} has bytes behind its value: it is damaged.");
            return value ?? throw new PileSerializationException($"A payload of type {type} is null, which is never put.");
        }
        catch (MessagePackSerializationException e)
        {
            throw new PileSerializationException($"A payload of type {type} can't be read: {Reason(e)}", e);
        }
    }

    // The library says what it was doing; why it failed is said by the innermost exception.
    private static string Reason(Exception e) =>
        e.GetBaseException() is { } root && root != e ? $"{e.Message} {root.GetType().Name}: {root.Message}" : e.Message;
}
