using System;
using BigPile.Codec.Resolution;
using BigPile.Codec.Evolution;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Payloads;

/// <summary>The pile's own codec: object graphs as MessagePack.</summary>
/// <remarks>
/// A payload is a prefix of 4 bytes (24 bits of type id, 8 of flags) and one MessagePack value. What the classes look like is not in the
/// payload but once in the catalog. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed unsafe partial class MessagePackPileCodec : IPileCodec, ITypeIds
{
    /// <summary>What is remembered of the codec that wrote a pile's objects; this one needs no record, since its schemas are one.</summary>
    internal const string OwnName = "BigPile";

    private const int PrefixBytes = 4;
    private const int TypeIdBits = 24;
    private const int TypeIdMask = (1 << TypeIdBits) - 1;

    private readonly ISchemaCatalog _catalog;
    private readonly ModelFactory _factory;
    private readonly ModelCache _models;
    private readonly ReaderTable _readers;

    /// <summary>Makes a codec whose schemas live in a catalog.</summary>
    /// <param name="catalog">The catalog.</param>
    /// <param name="options">What it may read and write.</param>
    /// <param name="isNormal">Whether it writes values that are equal by the same bytes.</param>
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

    /// <summary>The models of types, which tests look at.</summary>
    internal ModelCache Models => _models;

    /// <summary>Lets go of what it knows of types: nobody uses it any more, or more types are allowed.</summary>
    internal void Clear()
    {
        _factory.Clear();
        _readers.Clear();
    }

    /// <summary>Why no object that is exactly of a type can be stored, as a sentence; null when it can be, or there is none.</summary>
    internal string? WhyNot(Type type) => !type.IsAbstract
        ? (_models.ForType(type) as RefusedModel)?.Reason
        : StorableTypes.WhyNot(type) is null ? null : StorableTypes.WhyRefused(type);

    int ITypeIds.Assign(TypeModel model)
    {
        int id = _catalog.GetOrAdd(DefinitionWriter.ToStore(model, _models.Types));
        _readers.Set(id, model);
        return id;
    }
}
