using System;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using MessagePack;
using MessagePack.Formatters;

namespace BigPile.MessagePackCSharp;

/// <summary>A codec over MessagePack-CSharp, for types with its attributes.</summary>
/// <remarks>
/// A payload is the number of the root's type (4 bytes, little-endian, of the SHA-256 of its name), then the bytes that
/// <see cref="MessagePackSerializer"/> writes. The list of types is the registry: no name is stored, and a read makes only objects of the
/// listed types, and of those that their members and unions declare. The list's order has no meaning. A renamed type needs its former name
/// as <see cref="FormerNameAttribute"/>. Shared references become copies, and cycles are refused, as the library keeps neither; objects
/// can refer to each other by <see cref="PilePointer"/>. A put reads back what it wrote, and refuses an object that can't be read again.
/// Thread safety: all members may be called concurrently.
/// </remarks>
public sealed class MessagePackCSharpCodec : IPileCodec
{
    private const int NumberBytes = sizeof(uint);
    private const string NeedsCode = "MessagePack-CSharp makes code for the types that are put.";
    private const string NeedsMembers = "MessagePack-CSharp finds the members of the types that are put by reflection.";

    // A file may be damaged, or written by an attacker.
    private static readonly MessagePackSerializerOptions Safe =
        MessagePackSerializerOptions.Standard.WithSecurity(MessagePackSecurity.UntrustedData);

    private readonly MessagePackSerializerOptions _options;
    private readonly ListedTypes _types;

    /// <summary>Makes a codec with the library's standard resolver and its security for untrusted data.</summary>
    /// <param name="types">The types that may be put, in any order.</param>
    /// <exception cref="ArgumentException">A type can't have objects, or is listed twice.</exception>
    [RequiresDynamicCode(NeedsCode)]
    [RequiresUnreferencedCode(NeedsMembers)]
    public MessagePackCSharpCodec(params Type[] types)
        : this(Safe, types)
    {
    }

    /// <summary>Makes a codec with the application's options.</summary>
    /// <param name="options">
    /// Resolver, security and compression. With <see cref="MessagePackSecurity.TrustedData"/>, someone who can write the pile's files can
    /// make a read take very long, or end the process.
    /// </param>
    /// <param name="types">The types that may be put, in any order.</param>
    /// <exception cref="ArgumentException">
    /// A type can't have objects, or is listed twice; or the options' resolver makes objects of any type that a payload names.
    /// </exception>
    [RequiresDynamicCode(NeedsCode)]
    [RequiresUnreferencedCode(NeedsMembers)]
    public MessagePackCSharpCodec(MessagePackSerializerOptions options, params Type[] types)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(types);
        if (options.Resolver.GetFormatter<object>() is TypelessFormatter)
        {
            throw new ArgumentException(
                "The resolver is typeless: the bytes would name the types to make, and they may come from anyone. Use one that goes by "
                + "the declared types, such as StandardResolver or ContractlessStandardResolver.", nameof(options));
        }
        _options = new ClosedOptions(options);
        _types = new ListedTypes(types);
    }

    /// <inheritdoc/>
    public string Name => "MessagePack-CSharp/2";

    /// <inheritdoc/>
    public void Serialize(object value, PileBuffer destination)
    {
        ArgumentNullException.ThrowIfNull(value);
        ArgumentNullException.ThrowIfNull(destination);
        Type type = value.GetType();
        if (!_types.TryGetNumber(type, out uint number))
            throw new PileSerializationException($"The type {type} is not in the codec's list. Add it.");
        BinaryPrimitives.WriteUInt32LittleEndian(destination.GetSpan(NumberBytes), number);
        destination.Advance(NumberBytes);
        try
        {
            MessagePackSerializer.Serialize(type, destination, value, _options);
        }
        catch (Exception e) when (e is MessagePackSerializationException or InsufficientExecutionStackException)
        {
            throw new PileSerializationException($"An object of type {type} could not be written: {Reason(e)}", e);
        }
        VerifyReadable(destination, type);
    }

    /// <inheritdoc/>
    public object Deserialize(PileBuffer source)
    {
        ArgumentNullException.ThrowIfNull(source);
        ReadOnlyMemory<byte> payload = source.WrittenMemory;
        if (payload.Length < NumberBytes || _types.Find(BinaryPrimitives.ReadUInt32LittleEndian(payload.Span)) is not { } type)
            throw new PileSerializationException("The payload is of a type that is not in the codec's list. Give the codec all the types "
                + "that were ever put; one that was renamed has its former name as [FormerName].");
        try
        {
            var reader = new MessagePackReader(payload[NumberBytes..]);
            object? value = MessagePackSerializer.Deserialize(type, ref reader, _options);
            if (!reader.End)
                throw new PileSerializationException($"A payload of type {type} has bytes after its value: it is damaged.");
            return value ?? throw new PileSerializationException($"A payload of type {type} is null, which is never put.");
        }
        catch (Exception e) when (e is MessagePackSerializationException or InsufficientExecutionStackException)
        {
            throw new PileSerializationException($"A payload of type {type} can't be read: {Reason(e)}", e);
        }
    }

    // The library writes objects that it can't read: too deep a graph, a key type without a safe hash, a constructor that throws.
    private void VerifyReadable(PileBuffer written, Type type)
    {
        try
        {
            _ = Deserialize(written);
        }
        catch (PileSerializationException e)
        {
            throw new PileSerializationException($"An object of type {type} is not put, as it could not be read again: {e.Message}", e);
        }
    }

    // The library's own message says what it was doing; the innermost exception says why that failed.
    private static string Reason(Exception e) =>
        e.GetBaseException() is { } root && root != e ? $"{e.Message} {root.GetType().Name}: {root.Message}" : e.Message;
}
