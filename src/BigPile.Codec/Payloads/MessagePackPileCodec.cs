using System;
using BigPile.Codec.Evolution;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Resolution;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Payloads;

/// <summary>The pile's own codec: object graphs as MessagePack.</summary>
/// <remarks>
/// A payload is a prefix of 4 bytes (24 bits of type id, 8 bits of flags) and one MessagePack value. The classes' schemas are not in the
/// payload: the catalog has each of them once. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed unsafe partial class MessagePackPileCodec : IPileCodec, ITypeIds
{
    /// <summary>The codec's name. A pile does not store it: the schemas in the catalog already show which codec wrote it.</summary>
    internal const string OwnName = "BigPile";

    private const int PrefixBytes = 4;
    private const int TypeIdBits = 24;
    private const int TypeIdMask = ISchemaCatalog.IdMost;

    private readonly ISchemaCatalog _catalog;
    private readonly ModelFactory _factory;
    private readonly ModelCache _models;
    private readonly ReaderTable _readers;

    /// <summary>Makes a codec that keeps its schemas in a catalog.</summary>
    /// <param name="catalog">The catalog.</param>
    /// <param name="options">What it may read and write.</param>
    /// <param name="isNormal">Whether equal values must have equal bytes, as for keys.</param>
    public MessagePackPileCodec(ISchemaCatalog catalog, PileCodecOptions options, bool isNormal = false)
    {
        _catalog = catalog;
        Options = options;
        _factory = new ModelFactory(this, options, catalog.OutlivesProcess, isNormal);
        _models = _factory.Models;
        _readers = new ReaderTable(catalog, new ReaderFactory(_factory));
    }

    /// <inheritdoc/>
    public string Name => OwnName;

    /// <summary>What it may read and write.</summary>
    internal PileCodecOptions Options { get; }

    /// <summary>The models of types, for tests.</summary>
    internal ModelCache Models => _models;

    /// <summary>Drops all that is cached by type: when the codec is no longer used, or when more types are allowed.</summary>
    internal void Clear()
    {
        _factory.Clear();
        _readers.Clear();
    }

    /// <summary>Why no object of exactly a type can be stored, as a sentence; null if one can be, or if there is none.</summary>
    internal string? WhyNot(Type type) => !type.IsAbstract
        ? (_models.ForType(type) as RefusedModel)?.Reason
        : StorableTypes.WhyNot(type) is null ? null : StorableTypes.WhyRefused(type);

    /// <summary>Checks the tables of models and readers, for tests.</summary>
    internal void CheckInvariants()
    {
        _models.CheckInvariants();
        _readers.CheckInvariants();
    }

    /// <summary>Checks a buffer and the state of reading and writing that it keeps between two payloads, for tests.</summary>
    internal static void CheckInvariants(PileBuffer buffer)
    {
        buffer.CheckInvariants();
        (buffer.Writer as WriteContext)?.CheckInvariants();
        (buffer.Reader as ReadContext)?.CheckInvariants();
    }

    int ITypeIds.Assign(TypeModel model)
    {
        int id = _catalog.GetOrAdd(DefinitionWriter.ToStore(model, _models.Types));
        _readers.Set(id, model);
        return id;
    }
}
