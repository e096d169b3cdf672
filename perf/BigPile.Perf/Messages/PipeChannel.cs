using System;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

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

/// <summary>Two pipes with names in a directory. (.NET's own named pipes are Unix sockets here.)</summary>
/// <remarks>
/// Opening one end of a pipe waits for the other end: so this side opens both ends of both until the other process has opened its own. Then
/// it closes them, so that each side notices when the other one is gone.
/// </remarks>
[SupportedOSPlatform("linux")]
internal sealed partial class PipeMeeting : IMeeting
{
    private const string There = ".there";
    private const string Back = ".back";
    private const uint OwnersOnly = 0x180; // 0600

    private readonly FileStream _there;
    private readonly FileStream _back;

    internal PipeMeeting(string directory, int lane)
    {
        Address = Path.Combine(directory, lane.ToString(CultureInfo.InvariantCulture));
        Make(Address + There);
        Make(Address + Back);
        _there = Open(Address + There, FileAccess.ReadWrite);
        _back = Open(Address + Back, FileAccess.ReadWrite);
    }

    public string Address { get; }

    /// <summary>The receiver's end of what a <see cref="PipeMeeting"/> has.</summary>
    internal static IMessageChannel Join(string address) =>
        new PipeChannel(Open(address + Back, FileAccess.Write), Open(address + There, FileAccess.Read));

    public IMessageChannel Meet()
    {
        var channel = new PipeChannel(Open(Address + There, FileAccess.Write), Open(Address + Back, FileAccess.Read));
        Dispose();
        return channel;
    }

    public void Dispose()
    {
        _there.Dispose();
        _back.Dispose();
    }

    private static FileStream Open(string path, FileAccess access) =>
        new(path, FileMode.Open, access, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);

    private static void Make(string path)
    {
        if (MakePipe(path, OwnersOnly) != 0)
            throw new LoadException($"The pipe '{path}' can't be made: {Marshal.GetLastPInvokeErrorMessage()}.");
    }

    [LibraryImport("libc", EntryPoint = "mkfifo", StringMarshalling = StringMarshalling.Utf8, SetLastError = true)]
    private static partial int MakePipe(string path, uint mode);
}
