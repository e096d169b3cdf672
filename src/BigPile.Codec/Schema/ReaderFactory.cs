using System;

namespace BigPile.Codec;

/// <summary>Finds or makes what reads the payloads of a stored schema.</summary>
internal static class ReaderFactory
{
    /// <summary>The current model if the application's type still has the stored schema, else one that maps members by name.</summary>
    public static TypeModel Make(ReadOnlyMemory<byte> definition, ModelCache models)
    {
        StoredSchema schema = StoredSchema.Parse(definition.Span);
        TypeModel current = models.ForType(models.Types.Resolve(schema.Entries[0].Name));
        var refused = current as RefusedModel;
        if (refused is { IsStillRead: false })
            throw new PileSchemaException(refused.Reason);
        if (refused is null && DefinitionWriter.Of(current, models.Types).AsSpan().SequenceEqual(definition.Span))
            return current;
        var evolved = new EvolvedModels(schema, models);
        evolved.MakeAll();
        return evolved.Entry(0);
    }

    /// <summary>What passes over the payloads of a stored schema whose type is gone.</summary>
    public static TypeModel MakePasser(ReadOnlyMemory<byte> definition, ModelCache models) =>
        new EvolvedModels(StoredSchema.Parse(definition.Span), models).Entry(0);
}
