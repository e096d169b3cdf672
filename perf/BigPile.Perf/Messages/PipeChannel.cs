using System;
using System.IO;

namespace BigPile.Perf.Messages;

/// <summary>A pipe out and a pipe in.</summary>
internal sealed class PipeChannel(FileStream sender, FileStream receiver) : IMessageChannel
{
    public void Send(ReadOnlySpan<byte> message)
    {
        try
        {
            sender.Write(message);
        }
        catch (IOException e)
        {
            throw Lost(e);
        }
    }

    public void Receive(Span<byte> message)
    {
        while (message.Length > 0)
        {
            int received = receiver.Read(message);
            message = received > 0 ? message[received..] : throw Lost();
        }
    }

    public void Dispose()
    {
        sender.Dispose();
        receiver.Dispose();
    }

    private static LoadException Lost(Exception? cause = null) =>
        new($"The other process has closed its pipe too early. {cause?.Message}", cause);
}
