using System;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Resolution;
using BigPile.Codec.Schema;
using BigPile.Codec.Values;

namespace BigPile.Codec.Evolution;

/// <summary>Finds or makes the reader of a stored schema's payloads.</summary>
internal sealed class ReaderFactory(ModelFactory factory) : IReaderFactory
{
    /// <inheritdoc/>
    public TypeModel Make(ReadOnlyMemory<byte> definition)
    {
        ModelCache models = factory.Models;
        StoredSchema schema = StoredSchema.Parse(definition.Span);
        string name = schema.Entries[0].Name;
        if (models.Types.TryResolve(name) is not { } known || !LeafCodecs.IsPrimitive(known))
            TrimmingCheck.ThrowIfTrimmed();
        TypeModel current = models.ForType(models.Types.Resolve(name));
        var refused = current as RefusedModel;
        if (refused is { IsStillRead: false })
            throw new PileSchemaException(refused.Reason);
        if (refused is null && DefinitionWriter.Of(current, models.Types).AsSpan().SequenceEqual(definition.Span))
            return current;
        var evolved = new EvolvedModels(schema, factory);
        evolved.MakeAll();
        return evolved.Entry(0);
    }

    /// <inheritdoc/>
    public TypeModel MakeSkipper(ReadOnlyMemory<byte> definition) =>
        new EvolvedModels(StoredSchema.Parse(definition.Span), factory).Entry(0);
}
