using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace BigPile.Server.Tests.Attacks;

/// <summary>
/// Takes the client away from requests with the header <see cref="Header"/> in the moment in which their bodies are read.
/// </summary>
internal sealed class GoneClient : IStartupFilter
{
    internal const string Header = "X-Gone";

    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        app.Use(LeaveAsync);
        next(app);
    };

    private static async Task LeaveAsync(HttpContext context, RequestDelegate next)
    {
        if (!context.Request.Headers.ContainsKey(Header))
        {
            await next(context);
            return;
        }
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        using var gone = new CancellationTokenSource();
        context.RequestAborted = gone.Token;
        context.Request.Body = new LastStream(body.ToArray(), gone);
        context.Features.Set<IRequestBodyPipeFeature>(new LastPipe(body.ToArray(), gone));
        if (body.Length == 0)
            gone.Cancel();
        await next(context);
    }

    private sealed class LastStream(byte[] body, CancellationTokenSource gone) : MemoryStream(body)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            gone.Cancel();
            return new ValueTask<int>(Read(buffer.Span));
        }
    }

    private sealed class LastPipe(byte[] body, CancellationTokenSource gone) : PipeReader, IRequestBodyPipeFeature
    {
        public PipeReader Reader => this;

        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
        {
            gone.Cancel();
            return new ValueTask<ReadResult>(new ReadResult(new ReadOnlySequence<byte>(body), isCanceled: false, isCompleted: true));
        }

        public override bool TryRead(out ReadResult result)
        {
            result = default;
            return false;
        }

        public override void AdvanceTo(SequencePosition consumed)
        {
        }

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
        {
        }

        public override void CancelPendingRead()
        {
        }

        public override void Complete(Exception? exception = null)
        {
        }
    }
}
