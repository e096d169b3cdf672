using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization.Metadata;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Protocol;

/// <summary>Answers with a JSON document.</summary>
internal static class JsonAnswer
{
    private static readonly JsonSerializerOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    internal static Task WriteAsync(HttpContext context, JsonNode document) =>
        WriteAsync(context, Encoding.UTF8.GetBytes(document.ToJsonString(Options)));

    internal static Task WriteAsync<T>(HttpContext context, T report, JsonTypeInfo<T> json) =>
        WriteAsync(context, JsonSerializer.SerializeToUtf8Bytes(report, json));

    private static Task WriteAsync(HttpContext context, byte[] body)
    {
        context.Response.ContentType = MediaTypes.Json;
        context.Response.ContentLength = body.Length;
        context.Response.Headers.CacheControl = "no-store";
        return context.Response.Body.WriteAsync(body, 0, body.Length, context.RequestAborted);
    }
}
