using System;
using System.Threading;
using BigPile.Perf.Messages;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Tests;

/// <summary>A message that is not the one that was sent is found out, and so is a receiver that is gone.</summary>
public sealed class MessageCheckTests
{
    [Theory]
    [InlineData(16)]
    [InlineData(64)]
    [InlineData(4096)]
    [InlineData(4104)]
    [InlineData(4120)]
    [InlineData(65_536)]
    public void A_message_is_the_one_of_its_number_and_says_what_is_wished(int lengthBytes)
    {
        var message = new MessageBuffer(lengthBytes);
        message.Stamp(7, MessageWish.Reply);
        Assert.Equal(MessageWish.Reply, message.Check(7));
        Assert.Throws<LoadException>(() => message.Check(6));
        message.Stamp(256, MessageWish.End);
        Assert.Equal(MessageWish.End, message.Check(256));
        Assert.Throws<LoadException>(() => message.Check(257));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(4096)]
    [InlineData(8192)]
    [InlineData(9992)]
    public void A_part_of_another_message_is_found(int at)
    {
        var message = new MessageBuffer(10_000);
        message.Stamp(5, MessageWish.Nothing);
        var other = new MessageBuffer(10_000);
        other.Stamp(4, MessageWish.Nothing);
        other.Bytes.Slice(at, sizeof(ulong)).CopyTo(message.Bytes[at..]);
        Assert.Contains("Message 5", Assert.Throws<LoadException>(() => message.Check(5)).Message);
    }

    [Fact]
    public void Any_byte_that_changed_is_found_in_the_messages_that_are_compared_as_a_whole()
    {
        var message = new MessageBuffer(10_000);
        for (int at = 0; at < 10_000; at++)
        {
            message.Stamp(512, MessageWish.Nothing);
            message.Bytes[at] ^= 4;
            Assert.Throws<LoadException>(() => message.Check(512));
            message.Bytes[at] ^= 4;
        }
        Assert.Equal(MessageWish.Nothing, message.Check(512));
    }

    [Theory]
    [InlineData(nameof(MessageWay.PortSleep))]
    [InlineData(nameof(MessageWay.Tcp))]
    [InlineData(nameof(MessageWay.Unix))]
    [InlineData(nameof(MessageWay.Pipe))]
    public void A_receiver_that_finds_a_wrong_message_ends_and_the_load_with_it(string name)
    {
        if (!OperatingSystem.IsLinux())
            return;
        var route = new MessageRoute(new PortsOptions(), Enum.Parse<MessageWay>(name), 64);
        using var company = new Company(route, receivers: 1);
        company.Lanes[0].Skip(1); // the receiver waits for another number
        var load = new RoundTripLoad(company.Lanes);
        Exception error = Record.Exception(() => load.Run(1, CancellationToken.None))!;
        Assert.True(error is LoadException or System.IO.IOException, error.ToString());
    }

    [Fact]
    public void A_row_keeps_what_a_mode_does_not_show_empty()
    {
        PortsRow row = PortsRow.Of(MessageWay.Udp, 64, 2, new MessageFigures { MessagesPerSecond = 1.6, SenderNsPerMessage = 3.14159 });
        Assert.Equal(("udp", 64, 2), (row.Way, row.SizeBytes, row.Receivers));
        Assert.Equal((2.0, 3.1), (row.MessagesPerSecond, row.SenderNsPerMessage!.Value));
        Assert.Null(row.RoundTripUsP50);
        Assert.Null(row.PayloadNsPerMessage);
    }
}
