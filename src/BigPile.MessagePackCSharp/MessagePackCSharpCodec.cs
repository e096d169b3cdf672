using System;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using MessagePack;
using MessagePack.Formatters;

namespace BigPile.MessagePackCSharp;

/// <summary>Serializes with MessagePack-CSharp, for types that are written for it.</summary>
/// <remarks>
/// A payload is a number that stands for the root's type (4 bytes, little-endian, of the SHA-256 of its name), and what
/// <see cref="MessagePackSerializer"/> writes. The list of types is the registry: no name is stored, and no type is ever made but these and
/// what their members and unions declare. Its order means nothing; a renamed type has its former name as
/// <see cref="FormerNameAttribute"/>. What the library does not keep is not kept: shared references become copies, and cycles are refused;
/// objects refer to each other by <see cref="PilePointer"/>, which any of them may hold. A put reads what it wrote: what could not be read
/// again is refused. Thread safety: all members may be called concurrently.
/// </remarks>
public sealed class MessagePackCSharpCodec : IPileCodec
{
    private const int NumberBytes = sizeof(uint);
    private const string NeedsCode = "MessagePack-CSharp makes code for the types that are put.";
    private const string NeedsMembers = "MessagePack-CSharp finds the members of the types that are put by reflection.";

    // What is in a file may be damaged, and somebody may have written it.
    private static readonly MessagePackSerializerOptions Safe =
        MessagePackSerializerOptions.Standard.WithSecurity(MessagePackSecurity.UntrustedData);

    private readonly MessagePackSerializerOptions _options;
    private readonly ListedTypes _types;

    /// <summary>Makes a codec with the library's standard resolver and its security for data that nobody vouches for.</summary>
    /// <param name="types">The types that may be put, in any order.</param>
    /// <exception cref="ArgumentException">A type can't be that of an object, or is listed twice.</exception>
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
    /// <param name="types">The types that may be put, in any order.</param>
    /// <exception cref="ArgumentException">
    /// A type can't be that of an object, or is listed twice; or the options' resolver makes objects of whatever type the bytes name.
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
                "The resolver is a typeless one: the bytes would name the types to make, and may be anybody's. Take one that goes by the "
                + "declared types, such as StandardResolver or ContractlessStandardResolver.", nameof(options));
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
                throw new PileSerializationException($"A payload of type {type} has bytes behind its value: it is damaged.");
            return value ?? throw new PileSerializationException($"A payload of type {type} is null, which is never put.");
        }
        catch (Exception e) when (e is MessagePackSerializationException or InsufficientExecutionStackException)
        {
            throw new PileSerializationException($"A payload of type {type} can't be read: {Reason(e)}", e);
        }
    }

    // A graph that is too deep, a key without a safe hash, a constructor that throws: the library writes them, and reads them never again.
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

    // The library says what it was doing; why it failed is said by the innermost exception.
    private static string Reason(Exception e) =>
        e.GetBaseException() is { } root && root != e ? $"{e.Message} {root.GetType().Name}: {root.Message}" : e.Message;
}
