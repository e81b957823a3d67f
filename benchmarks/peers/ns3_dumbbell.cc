// One TCP flow over one bottleneck in ns-3, for benchmarks/simulators.py.
//
//     ns3_dumbbell RATE_MBIT RTT_MS SECONDS CONTROL
//
// Two hosts and a router; the link from the router to the receiver has the rate, a FIFO queue of one bandwidth-delay
// product and half of the round-trip time. The buffers of TCP do not limit the flow. Prints one line of JSON: the
// goodput at the receiver in Mbit/s, the mean queue in ms at the rate, sampled 100 times a second, and the events.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace ns3;

namespace {

const double kSamplePeriodS = 0.01;
const uint32_t kBufferBytes = 64u << 20;
const uint32_t kSegmentBytes = 1448;
const uint16_t kPort = 5001;

struct QueueMean
{
    double sumBytes = 0;
    uint32_t count = 0;
};

void SampleQueue(Ptr<QueueDisc> queue, QueueMean* mean)
{
    mean->sumBytes += queue->GetNBytes();
    mean->count++;
    Simulator::Schedule(Seconds(kSamplePeriodS), &SampleQueue, queue, mean);
}

void SetTcpDefaults(const std::string& control)
{
    // Linux's values: ten segments at first, delayed ACKs of every second segment, at least 200 ms to a timeout.
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + control));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kSegmentBytes));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(kBufferBytes));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(kBufferBytes));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
}

} // namespace

int main(int argc, char* argv[])
{
    if (argc != 5)
    {
        std::fprintf(stderr, "usage: ns3_dumbbell RATE_MBIT RTT_MS SECONDS CONTROL\n");
        return 2;
    }
    const double rateMbit = std::atof(argv[1]), rttMs = std::atof(argv[2]), seconds = std::atof(argv[3]);
    const auto bdpBytes = static_cast<uint32_t>(rateMbit * 1e6 / 8 * rttMs / 1e3);
    const Time halfRtt = MicroSeconds(static_cast<uint64_t>(rttMs * 500));
    SetTcpDefaults(argv[4]);

    NodeContainer nodes;
    nodes.Create(3);
    InternetStackHelper().Install(nodes);
    PointToPointHelper fast, slow;
    fast.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    fast.SetChannelAttribute("Delay", StringValue("0ms"));
    slow.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rateMbit * 1e6))));
    slow.SetChannelAttribute("Delay", TimeValue(halfRtt));
    // The queue is that of the discipline; the device holds the packet that it transmits, and the next one.
    slow.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));
    const NetDeviceContainer left = fast.Install(nodes.Get(0), nodes.Get(1));
    const NetDeviceContainer right = slow.Install(nodes.Get(1), nodes.Get(2));
    TrafficControlHelper discipline;
    discipline.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue(std::to_string(bdpBytes) + "B"));
    const QueueDiscContainer queues = discipline.Install(right.Get(0));

    Ipv4AddressHelper address("10.1.1.0", "255.255.255.0");
    address.Assign(left);
    address.SetBase("10.1.2.0", "255.255.255.0");
    const Ipv4InterfaceContainer receivers = address.Assign(right);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(receivers.GetAddress(1), kPort));
    source.SetAttribute("SendSize", UintegerValue(kSegmentBytes));
    source.Install(nodes.Get(0));
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), kPort));
    const ApplicationContainer sinks = sink.Install(nodes.Get(2));

    QueueMean mean;
    Simulator::Schedule(Seconds(kSamplePeriodS), &SampleQueue, queues.Get(0), &mean);
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    const auto bytes = DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx();
    std::printf("{\"goodput_mbit\": %.3f, \"queue_ms\": %.3f, \"events\": %llu}\n",
                static_cast<double>(bytes) * 8 / seconds / 1e6,
                mean.sumBytes / mean.count * 8 / (rateMbit * 1e6) * 1e3,
                static_cast<unsigned long long>(Simulator::GetEventCount()));
    Simulator::Destroy();
    return 0;
}
