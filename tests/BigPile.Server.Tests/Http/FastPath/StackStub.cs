using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using System.Threading.Tasks;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Connections;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>A stub of the HTTP stack: it takes requests as the test orders, one step at a time.</summary>
internal sealed class StackStub
{
    private readonly TaskCompletionSource _end = new();

    internal ConnectionContext? Connection { get; private set; }

    internal PipeReader Input => Connection!.Transport.Input;

    internal Task RunAsync(ConnectionContext connection)
    {
        Connection = connection;
        return _end.Task;
    }

    /// <summary>Consumes as many bytes of what there is.</summary>
    internal async Task<string> TakeAsync(int lengthBytes)
    {
        ReadResult result = await Input.ReadAsync();
        ReadOnlySequence<byte> taken = result.Buffer.Slice(0, lengthBytes);
        string text = Encoding.Latin1.GetString(taken.ToArray());
        Input.AdvanceTo(taken.End);
        return text;
    }

    internal async Task AnswerAsync(string text)
    {
        await Connection!.Transport.Output.WriteAsync(Encoding.Latin1.GetBytes(text));
        Connection.Features.Get<IHandoverFeature>()?.OnResponseCompleted();
    }

    internal void End() => _end.TrySetResult();
}
