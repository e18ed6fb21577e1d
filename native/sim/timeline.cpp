#include "reports.h"

#include "json.h"
#include <ostream>

namespace rankwise::sim
{

namespace
{

double microseconds(Time time)
{
    return static_cast<double>(time) / 1e6;
}

const char *name_of(Doing doing)
{
    switch (doing) {
    case Doing::compute:
        return "compute";
    case Doing::send:
        return "send";
    case Doing::receive:
        return "receive";
    case Doing::sent:
        break;
    }
    return "sent";
}

class Timeline
{
  public:
    Timeline(std::ostream &out, const std::vector<Job> &jobs, const Record &record)
        : out_(out), jobs_(jobs), record_(record)
    {
        for (std::size_t j = 0; j < jobs.size(); j++) {
            begin();
            out_ << R"({"ph":"M","name":"process_name","pid":)" << j << R"(,"args":{"name":)"
                 << quoted(jobs[j].name) << "}}";
            for (std::uint32_t r = 0; r < jobs[j].program->ranks(); r++)
                places_.push_back({j, r});
        }
    }
    void write()
    {
        for (std::uint32_t rank = 0; rank < record_.activities.size(); rank++)
            for (const Activity &activity : record_.activities[rank])
                write_activity(rank, activity);
        for (std::size_t i = 0; i < record_.messages.size(); i++)
            if (record_.messages[i].arrival > 0)
                write_message(i, record_.messages[i]);
    }

  private:
    struct Place {
        std::size_t job;
        std::uint32_t rank;
    };

    void begin()
    {
        out_ << (first_ ? "\n" : ",\n");
        first_ = false;
    }
    void where_and_when(std::uint32_t rank, Time time)
    {
        out_ << "\"pid\":" << places_[rank].job << ",\"tid\":" << places_[rank].rank
             << ",\"ts\":" << microseconds(time);
    }
    void write_activity(std::uint32_t rank, const Activity &activity)
    {
        begin();
        out_ << R"({"ph":"X","name":")" << name_of(activity.doing) << "\",";
        where_and_when(rank, activity.begin);
        out_ << ",\"dur\":" << microseconds(activity.end - activity.begin);
        if (activity.message != kNone) {
            const MessageRecord &message = record_.messages[activity.message];
            out_ << ",\"args\":{\"from\":" << places_[message.source].rank
                 << ",\"to\":" << places_[message.destination].rank
                 << ",\"bytes\":" << message.bytes
                 << ",\"tag\":" << jobs_[places_[rank].job].program->tag_in_file(message.tag)
                 << "}";
        }
        out_ << "}";
    }
    void write_message(std::size_t number, const MessageRecord &message)
    {
        begin();
        out_ << R"({"ph":"s","name":"message","cat":"message","id":)" << number << ",";
        where_and_when(message.source, message.begin);
        out_ << ",\"args\":{\"bytes\":" << message.bytes << "}}";
        begin();
        out_ << R"({"ph":"f","bp":"e","name":"message","cat":"message","id":)" << number << ",";
        where_and_when(message.destination, message.arrival);
        out_ << "}";
    }

    std::ostream &out_;
    const std::vector<Job> &jobs_;
    const Record &record_;
    std::vector<Place> places_;
    bool first_ = true;
};

} // namespace

void write_timeline(std::ostream &out, const std::vector<Job> &jobs, const Record &record)
{
    out.precision(15);
    out << R"({"displayTimeUnit":"ns","traceEvents":[)";
    Timeline(out, jobs, record).write();
    out << "\n]}\n";
}

} // namespace rankwise::sim
