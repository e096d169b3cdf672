using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Tests.Support;

/// <summary>A span as it came over the wire.</summary>
internal sealed record SentSpan(
    string Trace, string Id, string Parent, string Scope, string Name, ulong Kind, double Milliseconds, ulong Status, string Tags);

/// <summary>A measurement as it came over the wire: a histogram has a sum, a count and its buckets.</summary>
internal sealed record SentPoint(
    string Scope, string Name, string Unit, bool IsMonotonic, string Tags, double Value, ulong Count, string Buckets);

/// <summary>Takes what is sent by OTLP, in the test's process; its messages are those of opentelemetry-proto 1.x.</summary>
internal sealed class OtlpCollector : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly ConcurrentQueue<(string Path, ProtoMessage Message)> _received = new();

    private OtlpCollector(HttpProtocols protocols)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = protocols));
        builder.Services.AddRoutingCore();
        _app = builder.Build();
        _app.Run(ReceiveAsync);
    }

    internal string Address => _app.Urls.First();

    /// <summary>The names of the services that sent something.</summary>
    internal IEnumerable<string> Resources =>
        _received.SelectMany(static one => one.Message.Messages(1)).Select(static one => TagsOf(one.Message(1)!, 1)).Distinct();

    /// <summary>The key that came with what was received last.</summary>
    internal string? ApiKey { get; private set; }

    internal IEnumerable<SentSpan> Spans =>
        from scope in Scopes("trace")
        from span in scope.Messages(2)
        select new SentSpan(
            Convert.ToHexString(span.Bytes(1)), Convert.ToHexString(span.Bytes(2)), Convert.ToHexString(span.Bytes(4)),
            scope.Message(1)!.Text(1), span.Text(5), span.Number(6), (span.Number(8) - span.Number(7)) / 1e6,
            span.Message(15)?.Number(3) ?? 0, TagsOf(span, 9));

    /// <summary>The bodies of logs, with their levels.</summary>
    internal IEnumerable<string> Logs =>
        from scope in Scopes("logs")
        from log in scope.Messages(2)
        select $"{log.Text(3)} {log.Message(5)?.Text(1)}";

    /// <summary>The measurements of the last message.</summary>
    internal SentPoint[] LastPoints() => _received.LastOrDefault(static one => one.Path.Contains("metrics", StringComparison.Ordinal))
        is ({ }, { } last) ? [.. PointsOf(last)] : [];

    internal static async Task<OtlpCollector> StartAsync(HttpProtocols protocols = HttpProtocols.Http1)
    {
        var collector = new OtlpCollector(protocols);
        await collector._app.StartAsync();
        return collector;
    }

    /// <summary>Shows spans, each with those that are part of it.</summary>
    internal static string Tree(IReadOnlyCollection<SentSpan> spans)
    {
        var text = new StringBuilder();
        foreach (SentSpan root in spans.Where(span => !spans.Any(other => other.Id == span.Parent)))
            Write(root, 0);
        return text.ToString();

        void Write(SentSpan span, int depth)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"{new string(' ', depth * 2)}{span.Name} {span.Milliseconds:F2} ms {span.Tags}");
            foreach (SentSpan part in spans.Where(other => other.Parent == span.Id))
                Write(part, depth + 1);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    private static IEnumerable<SentPoint> PointsOf(ProtoMessage message) =>
        from scope in message.Messages(1, 2)
        from metric in scope.Messages(2)
        from point in ((int[])[5, 7, 9]).SelectMany(kind => metric.Messages(kind, 1))
        let isHistogram = metric.Has(9)
        select new SentPoint(
            scope.Message(1)!.Text(1), metric.Text(1), metric.Text(3), metric.Message(7)?.Number(3) == 1,
            TagsOf(point, isHistogram ? 9 : 7),
            isHistogram ? point.Double(5) : point.Has(6) ? (long)point.Number(6) : point.Double(4), isHistogram ? point.Number(4) : 0,
            string.Join(' ', point.Numbers(6)));

    private IEnumerable<ProtoMessage> Scopes(string kind) =>
        _received.Where(one => one.Path.Contains(kind, StringComparison.OrdinalIgnoreCase))
            .SelectMany(static one => one.Message.Messages(1, 2));

    private static string TagsOf(ProtoMessage message, int number) => string.Join(' ',
        from tag in message.Messages(number)
        let value = tag.Message(2)!
        orderby tag.Text(1)
        select $"{tag.Text(1)}={(value.Has(1) ? value.Text(1) : value.Number(3).ToString(CultureInfo.InvariantCulture))}");

    private async Task ReceiveAsync(HttpContext context)
    {
        var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        bool isGrpc = context.Request.ContentType == "application/grpc";
        const int head = 5; // whether it is compressed, and its length
        ApiKey = context.Request.Headers["api-key"];
        _received.Enqueue((context.Request.Path, new ProtoMessage(body.ToArray().AsSpan(isGrpc ? head : 0))));
        context.Response.ContentType = context.Request.ContentType;
        if (!isGrpc)
            return;
        await context.Response.Body.WriteAsync(new byte[head]);
        context.Response.AppendTrailer("grpc-status", "0");
    }
}
