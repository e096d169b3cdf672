using System;
using System.Linq;
using System.Text.Json;
using System.Text.Json.Nodes;
using BigPile.Http.Bulk;

namespace BigPile.Http.Api;

/// <summary>The JSON schema of an operation.</summary>
internal static class OperationSchema
{
    internal static JsonObject Operations() => new()
    {
        ["type"] = "object",
        ["required"] = new JsonArray("operations"),
        ["properties"] = new JsonObject
        {
            ["operations"] = new JsonObject { ["type"] = "array", ["items"] = ApiDocument.Reference("Operation") },
        },
    };

    internal static JsonObject Operation() => new()
    {
        ["type"] = "object",
        ["required"] = new JsonArray("id", "kind", "state", "startedAt"),
        ["properties"] = new JsonObject
        {
            ["id"] = ApiDocument.Property("string", "Names the operation."),
            ["kind"] = ApiDocument.Property("string", "What it does."),
            ["table"] = ApiDocument.Property("string", "The table that it is on, if it is on one."),
            ["state"] = new JsonObject
            {
                ["type"] = "string",
                ["enum"] = new JsonArray(
                    [.. Enum.GetNames<OperationState>().Select(
                        static name => JsonValue.Create(JsonNamingPolicy.CamelCase.ConvertName(name)))]),
            },
            ["startedAt"] = ApiDocument.Property("string", "When it began."),
            ["endedAt"] = ApiDocument.Property("string", "When it ended; not there while it runs."),
            ["progress"] = ApiDocument.Reference("Progress"),
            ["result"] = ApiDocument.Property("object", "What came of it; not there unless it is done."),
            ["error"] = ApiDocument.Reference("Problem"),
        },
    };

    internal static JsonObject Progress() => new()
    {
        ["type"] = "object",
        ["description"] = "How far it is, or was when it ended. It never goes back. A load and an export don't know how much there is, "
            + "and count records, bytes or entries.",
        ["properties"] = new JsonObject
        {
            ["done"] = ApiDocument.Property("integer", "What is done."),
            ["total"] = ApiDocument.Property("integer", "What there was to do at the beginning; not there before that is known."),
            ["unit"] = ApiDocument.Property(
                "string", "What is counted: bytes (flush, warm), pages (compact, verify) or buckets of the index (purge)."),
            ["fraction"] = ApiDocument.Property("number", "The share that is done, from 0 to 1; 1 once all is done."),
            ["totalBytes"] = ApiDocument.Property("integer", "The same as total; of warm only."),
            ["remainingBytes"] = ApiDocument.Property("integer", "What is left of the total; of warm only."),
            ["records"] = ApiDocument.Property("integer", "Lines that were read; of a load only."),
            ["bytes"] = ApiDocument.Property("integer", "Bytes that were read; of a load only."),
            ["entries"] = ApiDocument.Property("integer", "Entries that were written; of an export only."),
        },
    };
}
