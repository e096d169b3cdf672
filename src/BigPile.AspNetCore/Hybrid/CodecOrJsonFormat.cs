using System;
using System.Text.Json;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Values in the format of the pile's codec; a value that it refuses is stored as JSON if it survives a JSON round trip.</summary>
/// <param name="codec">The preferred format.</param>
/// <param name="json">The fallback, whose values are bytes.</param>
/// <param name="warnings">Logs the first value of each type that is stored as JSON.</param>
internal sealed class CodecOrJsonFormat<T>(CodecFormat<T> codec, SerializerFormat<T> json, CacheWarnings warnings) : ValueFormat<T>
{
    internal override ValueKind Encode(T value, PileBuffer target)
    {
        try
        {
            return codec.Encode(value, target);
        }
        catch (PileSerializationException e)
        {
            target.Clear();
            ValueKind kind = EncodeAsJson(value, target, e);
            warnings.Warn(
                CacheWarnings.Reason.AsJson, typeof(T),
                "A value is cached as JSON, since the pile's codec refuses it. JSON keeps public members only, and as what they are "
                + $"declared with. {e.Message}", e);
            return kind;
        }
    }

    private ValueKind EncodeAsJson(T value, PileBuffer target, PileSerializationException refusal)
    {
        try
        {
            ValueKind kind = json.Encode(value, target);
            T again = json.Decode(kind, target);
            if (!typeof(T).IsInterface && again?.GetType() != value?.GetType())
                throw new JsonException($"a {value?.GetType()} would come back as a {again?.GetType()}.");
            var rewritten = new PileBuffer();
            json.Encode(again, rewritten);
            return rewritten.WrittenSpan.SequenceEqual(target.WrittenSpan)
                ? kind
                : throw new JsonException("it would come back with other content.");
        }
        catch (Exception e) when (e is NotSupportedException or JsonException or InvalidOperationException or MissingMemberException)
        {
            throw new PileSerializationException($"{refusal.Message} Nor can it be JSON: {e.Message}", refusal);
        }
    }

    internal override T Decode(ValueKind kind, PileBuffer source) =>
        kind == ValueKind.Bytes ? json.Decode(kind, source) : codec.Decode(kind, source);

    internal override void WritePortable(T value, ValueKind kind, PileBuffer encoded, PileBuffer target)
    {
        if (kind == ValueKind.Bytes)
            json.WritePortable(value, kind, encoded, target);
        else
            codec.WritePortable(value, kind, encoded, target);
    }

    internal override T ReadPortable(ValueKind kind, ReadOnlySpan<byte> source) =>
        kind == ValueKind.Bytes ? json.ReadPortable(kind, source) : codec.ReadPortable(kind, source);

    internal override bool TryTake(object? stored, out T value) =>
        stored is byte[] ? json.TryTake(stored, out value) : codec.TryTake(stored, out value);
}
